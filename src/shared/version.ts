declare const __HAFT_VERSION__: string

/** Put in by the build, so that telling it reads no file. */
export const version = __HAFT_VERSION__
