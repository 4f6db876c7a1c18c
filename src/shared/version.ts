declare const __HAFT_VERSION__: string | undefined

/** Put in by the build, so that telling it reads no file. */
export const version: string = typeof __HAFT_VERSION__ === 'string' ? __HAFT_VERSION__ : 'unbuilt'
