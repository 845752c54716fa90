export declare function isBuilt(): boolean
export declare function build(): Promise<void>
/** Where a program of `src/` is in the build of what is there now. */
export declare function builtFile(path: string): string
/** Files of `test/` by the names they get in the folder. */
export declare function bundleTests(files: Record<string, string>, folder: string): Promise<void>
