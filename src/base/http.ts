/**
 * Node's `http`, without what an `import` of it drags along: to list its exports an import reads each of them, and some
 * are getters that load the whole of Node's `fetch` and its WebSockets (measured: 12 MB a process).
 */
export const http = process.getBuiltinModule('node:http')
