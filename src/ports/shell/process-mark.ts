/** The variable by which every process of a command is found, wherever it has gone. */
export const MARK_VARIABLE = 'HAFT_MARK'

/** The mark of one command among those of one port: no other mark, and no part of one, contains it. */
export function commandMark(portMark: string, count: number): string {
  return `${portMark}.${count};`
}

/** A command of a Haft that itself runs in a command of another carries the marks of both, so that either can end it. */
export function withOuterMark(mark: string, environment: Readonly<Record<string, string | undefined>>): string {
  return `${environment[MARK_VARIABLE] ?? ''}${mark}`
}
