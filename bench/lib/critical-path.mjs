/**
 * @typedef {{ path: string } | { thing: string }} Resource
 * @typedef {{ ms: number, reads?: Resource[], writes?: Resource[], isSafe?: boolean }} TimerCall
 */

/**
 * Returns the milliseconds until the last call ends if each call starts as soon as all earlier calls that it conflicts with have ended.
 * @param {readonly TimerCall[]} calls
 */
export function computeCriticalPath(calls) {
  /** @type {number[]} */
  const ends = []
  for (const [index, call] of calls.entries()) {
    const conflictEnds = calls
      .slice(0, index)
      .map((earlierCall, at) => (areInConflict(earlierCall, call) ? (ends[at] ?? 0) : 0))
    ends.push(Math.max(0, ...conflictEnds) + call.ms)
  }
  return Math.max(...ends)
}

/**
 * @param {TimerCall} a
 * @param {TimerCall} b
 */
function areInConflict(a, b) {
  const listTouched = ({ reads = [], writes = [] } = b) => [...reads, ...writes]
  return doOverlap(a.writes ?? [], listTouched(b)) || doOverlap(b.writes ?? [], listTouched(a))
}

/**
 * @param {readonly Resource[]} resources
 * @param {readonly Resource[]} otherResources
 */
function doOverlap(resources, otherResources) {
  return resources.some((resource) => otherResources.some((other) => isShared(resource, other)))
}

/**
 * Paths overlap if one is within the other; things only if they have the same name.
 * @param {Resource} resource
 * @param {Resource} otherResource
 */
function isShared(resource, otherResource) {
  if ('thing' in resource || 'thing' in otherResource)
    return 'thing' in resource && 'thing' in otherResource && resource.thing === otherResource.thing
  return (
    `${resource.path}/`.startsWith(`${otherResource.path}/`) || `${otherResource.path}/`.startsWith(`${resource.path}/`)
  )
}
