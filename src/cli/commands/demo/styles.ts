import type { CommandIo } from '../../command.js'

/** Colours where a terminal shows them and nobody has said no. */
export function styles({ columns, variables }: Pick<CommandIo, 'columns' | 'variables'>) {
  const isPlain = columns === undefined || (variables.NO_COLOR ?? '') !== '' || variables.TERM === 'dumb'
  const style = (code: number, end: number) => (text: string) =>
    isPlain ? text : `\u001b[${code}m${text}\u001b[${end}m`
  return { bold: style(1, 22), dim: style(2, 22), red: style(31, 39), green: style(32, 39), yellow: style(33, 39) }
}
