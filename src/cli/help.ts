import type { Command } from './command.js'

export function helpText(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  return [
    'haft: the handle between a model and its tools',
    '',
    'Usage: haft -p "PROMPT" [OPTIONS]     give the agent a prompt',
    '       haft --resume [ID]             list the sessions of this folder, or show one',
    '       haft COMMAND [ARGUMENTS]',
    '',
    'New here, or no key? haft demo shows all of it at work in a few seconds.',
    '',
    'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'haft -p --help tells how to use the agent, haft COMMAND --help how to use a command; haft --version tells the version.',
    '',
  ].join('\n')
}

export async function commandHelp({ usage, summary }: Command): Promise<string> {
  const lines = typeof usage === 'function' ? await usage() : usage
  return ['Usage:', ...lines.map((line) => (line === '' ? '' : `  ${line}`)), '', `${sentence(summary)}`, ''].join('\n')
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
}
