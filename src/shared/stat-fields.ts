/** From the state on; what follows them is asked for nowhere. */
const MOST_FIELDS = 21

/** What a line of /proc/PID/stat tells. The name at its beginning, in parentheses, may hold anything. */
export function statFields(line: string): readonly string[] {
  return line.slice(line.lastIndexOf(')') + 2).split(' ', MOST_FIELDS)
}

/** Where they say when the process began, in ticks since the machine did. */
export const START_FIELD = 19
