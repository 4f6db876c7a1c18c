/** A path of keys as a person writes it: `mcpServers.github.args[0]`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step, depth) => (typeof step === 'number' ? `[${step}]` : `${depth > 0 ? '.' : ''}${String(step)}`))
    .join('')
}
