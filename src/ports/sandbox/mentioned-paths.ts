const QUOTED = /'([^']+)'|"([^"]+)"|‘([^’]+)’|`([^`']+)['`]/g
const BARE = /[^\s'"`‘’:,;()[\]]*[/.][^\s'"`‘’:,;()[\]]*/g

/** What in a line of an error message may be a path, the likeliest first. */
export function mentionedPaths(line: string): readonly string[] {
  const quoted = [...line.matchAll(QUOTED)].map((match) => match.slice(1).find((part) => part !== undefined) ?? '')
  const bare = line.replace(QUOTED, ' ').match(BARE) ?? []
  const isPath = (text: string) => text !== '.' && text !== '..' && text !== '/' && !/^[a-z]+:\/\//i.test(text)
  return [...new Set([...quoted, ...bare].map((text) => text.replace(/(?<=.)[/.]+$/, '')))].filter(isPath)
}
