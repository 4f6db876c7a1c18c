/** The members of a tool that the index uses. Keys are unique within an index; names may repeat. */
export interface SearchableTool {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly server?: string
  readonly isMcp?: boolean
  readonly searchHint?: string
  readonly inputSchema?: unknown
  readonly aliases?: readonly string[]
}

export interface RankedTool {
  readonly key: string
  readonly score: number
}
