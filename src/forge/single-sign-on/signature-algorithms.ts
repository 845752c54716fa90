/**
 * Checks the algorithms that signatures name. They are read with the verifying library's own parser, because the text
 * may hide a name behind character references.
 */
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const inclusive = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'
const canonical = [exclusive, `${exclusive}WithComments`, inclusive, `${inclusive}#WithComments`]

/** Allowed algorithms by element. SHA-1 is broken, and a keyed hash (HMAC) would use the certificate as its key. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  SignatureMethod: [
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
    'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
  ],
  DigestMethod: ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'],
  CanonicalizationMethod: canonical,
  Transform: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', ...canonical],
}

/** The part of the DOM that is used here; the project does not include the browser's types. */
type Document = { getElementsByTagNameNS(namespace: string, name: string): ArrayLike<Element> }
type Element = { readonly attributes: ArrayLike<{ readonly name: string; readonly value: string }> }

/** Throws if any signature in the document names another algorithm. */
export async function demandStrongAlgorithms(xml: string): Promise<void> {
  const { parseDomFromString } = await import('@node-saml/node-saml/lib/xml.js')
  const document = (await parseDomFromString(xml)) as unknown as Document
  for (const [element, algorithms] of Object.entries(allowed))
    for (const { attributes } of Array.from(document.getElementsByTagNameNS('*', element))) {
      // The library looks up some of them by local name alone.
      const named = Array.from(attributes).filter(({ name }) => /^(?:.*:)?Algorithm$/.test(name))
      if (named.length !== 1 || !algorithms.includes(named[0]!.value))
        throw new Error(`the ${element} of a signature is none that is taken`)
    }
}
