import type { ToolDefinition } from '../messages.js'

/** Finds and loads deferred tools. */
export interface CatalogPort {
  search(query: string, options: { readonly maxResults: number }): Promise<CatalogAnswer>
  /**
   * Adds these tools to every later request and returns their definitions as they will be sent. Definitions without
   * `defer_loading` still have to be shown to the model.
   */
  load(names: readonly string[]): Promise<readonly ToolDefinition[]>
}

/** The result of a search for tools. */
export interface CatalogAnswer {
  /** Best first. */
  readonly names: readonly string[]
  /** Requested names that do not exist, each with similar names. */
  readonly missing: readonly { readonly name: string; readonly near: readonly string[] }[]
  /** Servers that are still connecting. */
  readonly pendingServers: readonly string[]
  /** Servers that may have a suitable tool, if nothing matched. */
  readonly nearestServers: readonly string[]
}
