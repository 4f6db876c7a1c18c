import type { Command } from './io/command.js'
import { measureWidth } from './io/terminal-text.js'

/** Returns the text of `haft --help`. `columns` is the width of the terminal; without it, nothing is wrapped. */
export async function formatHelp(commands: readonly Command[], columns?: number): Promise<string> {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const rows = commands.map(async ({ name, help }) => `  ${name.padEnd(width)}  ${(await help()).summary}`)
  return joinLines(
    [
      'haft: a tool system for AI agents',
      '',
      'Usage: haft ["PROMPT"] [OPTIONS]      work with the agent in the terminal',
      '       haft -p "PROMPT" [OPTIONS]     run the agent on a prompt and print the answer',
      '       haft --continue, --resume [ID] continue a session of this folder',
      '       haft COMMAND [ARGUMENTS]',
      '',
      'New here, or no API key? Run haft demo.',
      '',
      'Commands:',
      ...(await Promise.all(rows)),
      '',
      'Run haft -p --help for the options of the agent, haft COMMAND --help for a command, haft --version for the version.',
    ],
    columns,
  )
}

/** Returns the text of `haft COMMAND --help`. */
export async function formatCommandHelp({ help }: Command, columns?: number): Promise<string> {
  const { usage, summary, examples = [] } = await help()
  const indent = (line: string) => (line === '' ? '' : `  ${line}`)
  return joinLines(
    [
      'Usage:',
      ...usage.map(indent),
      ...(examples.length === 0 ? [] : ['', examples.length === 1 ? 'Example:' : 'Examples:', ...examples.map(indent)]),
      '',
      toSentence(summary),
    ],
    columns,
  )
}

function toSentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
}

function joinLines(lines: readonly string[], columns: number | undefined): string {
  const fittingLines = columns === undefined ? lines : lines.flatMap((line) => fitLine(line, columns))
  return `${fittingLines.join('\n')}\n`
}

/**
 * Wraps a line between words. The explanation after a command or option, which two or more spaces separate, stays in its
 * column if it fits there in at least half of the width. Otherwise it starts on the next line.
 */
function fitLine(line: string, columns: number): readonly string[] {
  if (measureWidth(line) <= columns) return [line]
  const [, margin = '', head = '', gap = '', explanation = ''] = /^( *)(.*?\S)(?:( {2,})(.*))?$/.exec(line) ?? []
  if (explanation === '') return wrapWords(head, { first: margin, next: `${margin}  `, columns })
  const start = `${margin}${head}${gap}`
  if (start.length <= columns / 2)
    return wrapWords(explanation, { first: start, next: ' '.repeat(start.length), columns })
  const indent = `${margin}    `
  return [
    ...wrapWords(head, { first: margin, next: `${margin}  `, columns }),
    ...wrapWords(explanation, { first: indent, next: indent, columns }),
  ]
}

function wrapWords(
  text: string,
  { first, next, columns }: { readonly first: string; readonly next: string; readonly columns: number },
): readonly string[] {
  const lines: string[] = []
  let line = first
  let isEmpty = true
  for (const word of text.split(' ')) {
    const extendedLine = isEmpty ? `${line}${word}` : `${line} ${word}`
    if (isEmpty || measureWidth(extendedLine) <= columns) line = extendedLine
    else {
      lines.push(line)
      line = `${next}${word}`
    }
    isEmpty = false
  }
  return [...lines, line]
}
