import { BUILD_FLAGS, type BuildFlag } from './build-flags.js'

/**
 * Whether a part belongs to this build. The build puts `true` or `false` in place of every call,
 * so a part that is off leaves no trace in the bundle; this body runs only from source, in tests.
 */
export function feature(name: BuildFlag): boolean {
  return BUILD_FLAGS[name].default
}
