/**
 * What runs before a checker in Python. An uncaught exception has an exit code of its own: by its text on stderr anybody
 * whose output the checker quotes could have it taken for crashed. A byte that is no UTF-8 is read as Python itself
 * reads file names, instead of ending the checker at the will of whoever wrote it.
 */
export const uncaughtExitCode = 70

export const pythonFront = {
  folder: '/front',
  file: '/front/sitecustomize.py',
  environment: { PYTHONPATH: '/front', PYTHONIOENCODING: 'utf-8:surrogateescape' },
  source: `import builtins, io, os, sys

def end(kind, problem, trace):
    import traceback
    traceback.print_exception(kind, problem, trace)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    os._exit(${uncaughtExitCode})

sys.excepthook = end
strict = io.open

def open(file, mode='r', buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    if errors is None and isinstance(mode, str) and 'b' not in mode:
        errors = 'surrogateescape'
    return strict(file, mode, buffering, encoding, errors, newline, closefd, opener)

io.open = builtins.open = open
`,
} as const
