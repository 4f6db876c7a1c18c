declare const __HAFT_VERSION__: string | undefined

/** The version of this package. The build inserts it, so that no file is read for it. */
export const version: string = typeof __HAFT_VERSION__ === 'string' ? __HAFT_VERSION__ : 'unbuilt'
