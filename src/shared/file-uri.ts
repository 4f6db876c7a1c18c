import { fileURLToPath, pathToFileURL } from 'node:url'

export function toUri(path: string): string {
  return pathToFileURL(path).href
}

/** Returns the path of a file URI; undefined for other values. */
export function toPath(uri: unknown): string | undefined {
  try {
    return typeof uri === 'string' && uri.startsWith('file:') ? fileURLToPath(uri) : undefined
  } catch {
    // The URI names a file on another host.
    return undefined
  }
}
