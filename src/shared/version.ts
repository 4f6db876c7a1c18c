declare const __HAFT_VERSION__: string | undefined

/** Inserted by the build, so that reading it needs no file. */
export const version: string = typeof __HAFT_VERSION__ === 'string' ? __HAFT_VERSION__ : 'unbuilt'
