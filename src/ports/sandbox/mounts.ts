/** How a path appears to a confined command. */
type MountKind =
  | 'writable'
  | 'read-only'
  /** Does not exist and cannot be created. */
  | 'absent'
  /** A file with a fixed content, which means the same as a missing file. */
  | 'fixed-file'
  | 'hidden-folder'
  | 'hidden-file'
  /** A folder that cannot be listed, for the visible folders inside it. */
  | 'passage'
  /** An empty writable folder that disappears with the command. */
  | 'scratch'
  | 'link'

export interface Mount {
  readonly path: string
  readonly kind: MountKind
  /** The content, if this is a fixed file. */
  readonly content?: string
  /** The target, if this is a link. */
  readonly target?: string
}

/** Whether a mount of this kind hides the file or folder at its path. */
export function isHiding(kind: MountKind): boolean {
  return kind === 'hidden-folder' || kind === 'hidden-file'
}

const KINDS_BY_STRICTNESS: readonly MountKind[] = [
  ...([
    'passage',
    'link',
    'scratch',
    'writable',
    'read-only',
    'fixed-file',
    'absent',
    'hidden-file',
    'hidden-folder',
  ] as const),
]

/** Keeps only the strictest mount for each path, and sorts folders before their content, so that the innermost mount applies. */
export function orderMounts(mounts: readonly Mount[]): readonly Mount[] {
  const strictestByPath = new Map<string, Mount>()
  for (const mount of mounts) {
    const currentMount = strictestByPath.get(mount.path)
    if (currentMount === undefined || rankStrictness(mount) > rankStrictness(currentMount))
      strictestByPath.set(mount.path, mount)
  }
  return [...strictestByPath.values()].sort(
    (a, b) => countSegments(a.path) - countSegments(b.path) || (a.path < b.path ? -1 : 1),
  )
}

function rankStrictness({ kind }: Mount): number {
  return KINDS_BY_STRICTNESS.indexOf(kind)
}

function countSegments(path: string): number {
  return path.split('/').filter((name) => name !== '').length
}
