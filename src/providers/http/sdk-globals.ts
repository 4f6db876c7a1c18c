/**
 * What the bundle of the command line puts in place of globals in the providers' SDKs:
 * touching one of the real ones loads all of Node's fetch, which takes longer than Node's own start.
 */
export { HttpHeaders as Headers, HttpResponse as Response } from './http-response.js'

/** Stands for classes that nothing here is an instance of, as the SDKs ask of each body. */
class Unused {
  constructor() {
    throw new TypeError('Uploads are not a part of this program.')
  }
}

export { Unused as Blob, Unused as File, Unused as FormData, Unused as ReadableStream, Unused as Request }
