/**
 * Replacements for globals in the providers' SDKs, used by the bundle of the command line.
 * Accessing one of the real globals loads all of Node's fetch, which adds about half of Node's own start-up time.
 */
export { HttpHeaders as Headers, HttpResponse as Response } from './http-response.js'

/** Replaces classes that the SDKs use only in `instanceof` checks of request bodies. */
class UnusedGlobal {
  constructor() {
    throw new TypeError('File uploads are not supported.')
  }
}

export {
  UnusedGlobal as Blob,
  UnusedGlobal as File,
  UnusedGlobal as FormData,
  UnusedGlobal as ReadableStream,
  UnusedGlobal as Request,
}
