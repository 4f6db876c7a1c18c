/** How a path appears to a confined command. */
type MountKind =
  | 'writable'
  | 'read-only'
  /** Does not exist and cannot be created. */
  | 'absent'
  | 'hidden-folder'
  | 'hidden-file'
  /** An empty folder on the way to visible ones, which cannot be listed. */
  | 'passage'
  /** An empty writable folder that disappears with the command. */
  | 'scratch'
  | 'link'

export interface Mount {
  readonly path: string
  readonly kind: MountKind
  /** What a link leads to. */
  readonly target?: string
}

const STRICTNESS: readonly MountKind[] = [
  ...(['passage', 'link', 'scratch', 'writable', 'read-only', 'absent', 'hidden-file', 'hidden-folder'] as const),
]

/** Keeps the strictest mount for each path. Folders come before their content, so that the innermost mount applies. */
export function orderMounts(mounts: readonly Mount[]): readonly Mount[] {
  const strictest = new Map<string, Mount>()
  for (const mount of mounts) {
    const current = strictest.get(mount.path)
    if (current === undefined || strictnessOf(mount) > strictnessOf(current)) strictest.set(mount.path, mount)
  }
  return [...strictest.values()].sort((a, b) => depthOf(a.path) - depthOf(b.path) || (a.path < b.path ? -1 : 1))
}

function strictnessOf({ kind }: Mount): number {
  return STRICTNESS.indexOf(kind)
}

function depthOf(path: string): number {
  return path.split('/').filter((name) => name !== '').length
}
