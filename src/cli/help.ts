import type { Command } from './io/command.js'

/** Returns the text of `haft --help`. */
export function formatHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  return [
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
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'Run haft -p --help for the options of the agent, haft COMMAND --help for a command, haft --version for the version.',
    '',
  ].join('\n')
}

/** Returns the text of `haft COMMAND --help`. */
export async function formatCommandHelp({ usage, summary }: Command): Promise<string> {
  const lines = typeof usage === 'function' ? await usage() : usage
  return ['Usage:', ...lines.map((line) => (line === '' ? '' : `  ${line}`)), '', `${toSentence(summary)}`, ''].join(
    '\n',
  )
}

function toSentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
}
