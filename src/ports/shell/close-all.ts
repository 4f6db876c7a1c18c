import { closeSync } from 'node:fs'

/** Closes those descriptors that there are. */
export function closeAll(...descriptors: readonly (number | undefined)[]): void {
  for (const descriptor of descriptors) if (descriptor !== undefined) closeSync(descriptor)
}
