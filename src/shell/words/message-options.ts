/** Programs whose options take messages and titles. */
const HAS_MESSAGES: ReadonlySet<string> = new Set(['git', 'gh', 'glab', 'hg', 'svn', 'jj'])
const MESSAGE_OPTION =
  /^(?:-[A-Za-z]*m|--(?:message|title|body|notes|subject|description|author|grep|date|label))(?:=|$)/
/** For git, these letters mean something else. */
const SHORT_MESSAGE_OPTION = /^-[tbn]$/

/** Whether an argument is an option with a message or title, which names neither a file nor a program. */
export function isMessageOption(program: string, text: string): boolean {
  if (!HAS_MESSAGES.has(program)) return false
  return MESSAGE_OPTION.test(text) || (program !== 'git' && SHORT_MESSAGE_OPTION.test(text))
}

/** Whether an argument is or contains a message or title, given the argument before it. */
export function isMessage(program: string, text: string, textBefore: string): boolean {
  const followsOption = !textBefore.includes('=') && isMessageOption(program, textBefore)
  return followsOption || (text.includes('=') && isMessageOption(program, text))
}
