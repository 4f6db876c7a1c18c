/** Programs with options whose values are free text, such as messages and titles. */
const PROGRAMS_WITH_MESSAGES: ReadonlySet<string> = new Set(['git', 'gh', 'glab', 'hg', 'svn', 'jj'])
const MESSAGE_OPTION =
  /^(?:-[A-Za-z]*m|--(?:message|title|body|notes|subject|description|author|grep|date|label))(?:=|$)/
/** Options for texts in programs of code hosts. In other programs these letters have other meanings. */
const SHORT_MESSAGE_OPTION = /^-[tbn]$/

/** Subcommands of git with options whose values are free text. For others, the letters have another meaning. */
const GIT_WITH_MESSAGES: ReadonlySet<string> = new Set(
  'commit commit-tree tag merge notes stash revert cherry-pick log shortlog show rev-list whatchanged reflog'.split(
    ' ',
  ),
)

/** Whether a subcommand of git may have options whose values are free text. */
export function hasGitMessage(subcommand: string): boolean {
  return GIT_WITH_MESSAGES.has(subcommand)
}

/** Whether a program has options whose values are free text. */
export function hasMessages(program: string): boolean {
  return PROGRAMS_WITH_MESSAGES.has(program)
}

/** Whether an argument is an option whose value is free text, which names neither a file nor a program. */
export function isMessageOption(program: string, text: string): boolean {
  if (!hasMessages(program)) return false
  return MESSAGE_OPTION.test(text) || ((program === 'gh' || program === 'glab') && SHORT_MESSAGE_OPTION.test(text))
}

/**
 * Whether an argument is or contains free text such as a message. `textBefore` is the previous argument. A message that
 * starts with a dash counts only if the subcommand writes messages: elsewhere `-m` may have no value.
 */
export function isMessage(program: string, text: string, textBefore: string, verb = ''): boolean {
  const mayBeOption = text.startsWith('-') && !textBefore.startsWith('--') && !WRITES_MESSAGE.test(verb)
  const followsOption = !textBefore.includes('=') && isMessageOption(program, textBefore) && !mayBeOption
  return followsOption || (text.includes('=') && isMessageOption(program, text))
}

const WRITES_MESSAGE = /^(?:commit|tag|merge|notes|ci|describe|desc|new)$/
