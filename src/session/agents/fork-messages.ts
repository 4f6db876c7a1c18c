import type { Message } from '../../contract/messages.js'

/**
 * How a fork begins: with all that its parent's model has read, so that the provider finds it in its cache, then with an
 * answer in place of the one under way. That one cannot be used: it may hold other calls, and thoughts that have no end yet.
 */
export function forkMessages(messages: readonly Message[], prompt: string, place?: string): readonly Message[] {
  const where = place === undefined ? '' : `\nYou work in ${place}, a copy of the project: use its paths.`
  return [
    ...messages,
    { type: 'assistant', content: [{ type: 'text', text: 'I hand a part of this to a fork of myself.' }] },
    {
      type: 'user',
      content: `You are the fork. Do only this part, by yourself, and start no further fork; your last message goes back to who you came from.${where}\n\n${prompt}`,
    },
  ]
}
