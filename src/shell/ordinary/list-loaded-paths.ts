const ADDRESS = /^[A-Za-z][\w+.-]*:\/\//

/**
 * Returns the paths that a program may load as code: words and values of options, and their parts, as in `plugin:./x.js`. Of a
 * pattern, the folder before the first wildcard is returned.
 */
export function listLoadedPaths(texts: readonly string[]): readonly string[] {
  const parts = texts.flatMap((text) => (ADDRESS.test(text) ? [] : [text, ...text.split(/[=:,]/).slice(1)]))
  return [...new Set(parts.map(cutPattern))].filter((path) => path !== '' && !path.startsWith('-'))
}

function cutPattern(path: string): string {
  const wildcard = path.search(/[*?[{]/)
  return wildcard === -1 ? path : path.slice(0, path.lastIndexOf('/', wildcard) + 1)
}
