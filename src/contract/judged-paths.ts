/** Where a path led when its permission was decided. */
export interface JudgedTarget {
  /** The path with every link resolved, as far as it existed. */
  readonly realPath: string
  /** The entry itself: its folder with links resolved, and its own name. Differs from `realPath` if the entry is a link. */
  readonly entryPath: string
}

/** What a permission decision judged, by the absolute path with forward slashes. */
export type JudgedPaths = ReadonlyMap<string, JudgedTarget>
