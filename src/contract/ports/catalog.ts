/** Deferred tools and how to find them. */
export interface CatalogPort {
  search(query: string, options: { readonly maxResults: number }): Promise<CatalogAnswer>
  /** Makes these tools part of every later request. */
  load(names: readonly string[]): void
}

export interface CatalogAnswer {
  readonly names: readonly string[]
  readonly missing: readonly string[]
  readonly pendingServers: readonly string[]
  /** What to try where nothing fits. */
  readonly advice?: string
}
