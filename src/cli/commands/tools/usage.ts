const SERVERS = '[--connect] [--mcp-config FILE|JSON] [--trust]'

export const usage: readonly string[] = [
  `haft tools [--json] [--why] [--tools LIST] [--bare] ${SERVERS}`,
  `haft tools show NAME [--json] ${SERVERS}`,
  `haft tools search QUERY [--max-results N] [--catalog FILE] ${SERVERS}`,
  'haft tools search --jsonl [--max-results N] --catalog FILE',
]
