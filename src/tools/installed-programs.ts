/** Says whether a program can be started on this machine. */
export type ProgramFinder = (program: string) => boolean

let findProgram: ProgramFinder = () => false

/** Whoever supplies the ports tells, too, what is installed; until then nothing is. */
export function findProgramsBy(finder: ProgramFinder): void {
  const known = new Map<string, boolean>()
  findProgram = (program) => {
    const answer = known.get(program) ?? finder(program)
    known.set(program, answer)
    return answer
  }
}

/** A tool has no port to ask when it says whether it is enabled, and looks at no file itself. */
export function isInstalled(program: string): boolean {
  return findProgram(program)
}
