/** A path as it is drawn while it still arrives: whatever is there that is a text. */
export function drawnPath(path: unknown): string {
  return typeof path === 'string' ? path : ''
}

/** What a model reads of a change: what was done, then remarks, then the patch. */
export function changeText(done: string, remarks: readonly string[], patch: string): string {
  return [done, ...remarks, ...(patch === '' ? [] : [patch])].join('\n')
}
