import type { Command } from './command.js'

export function helpText(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  return [
    'haft: the handle between a model and its tools',
    '',
    'Usage: haft -p "PROMPT" [OPTIONS]',
    '       haft COMMAND [ARGUMENTS]',
    '',
    'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'haft COMMAND --help tells how to use one of them, haft -p --help how to use the agent; haft --version tells the version.',
    '',
  ].join('\n')
}

export async function commandHelp({ usage, summary }: Command): Promise<string> {
  const lines = typeof usage === 'function' ? await usage() : usage
  return ['Usage:', ...lines.map((line) => `  ${line}`), '', `${sentence(summary)}`, ''].join('\n')
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
}
