/** Marks the row of a student who is no longer in the class. */
export const LeftBadge = () => (
  <span class="badge" title="No longer in the class. What counted until then is shown.">
    Left
  </span>
)
