/** What the loop tells the model between its answers. */
export const NUDGES = {
  interrupted: 'The user interrupted you here.',
  empty: 'Your last answer was empty. Go on with the task, or say that it is done and what came of it.',
  pause: 'Go on where you stopped.',
  cut: 'The connection failed in the middle of your last message. The calls that are in it have run, each once, and their results are here; whatever came after them was lost. Go on from here, and do not repeat calls that have their results.',
  maxTokens:
    'Your last message was cut at the limit of output. Go on where it stopped, without repeating what is there.',
  repeated:
    'You have made the same call three times in a row, and its result was the same each time. Doing so again will not help: try something else, or tell the user what keeps you from going on.',
} as const

export function cutCallNudge(toolNames: readonly string[]): string {
  const names = [...new Set(toolNames)].join(', ')
  return `Your last message was cut at the limit of output, in the middle of a call of ${names}. That call did not run. Make smaller steps: write long files in several parts, and make fewer calls in one message.`
}
