import type { TeamInbox } from '../../contract/ports/teams.js'
import { createTeamMessage, hasTeamMessage } from '../messages/team-messages.js'
import { addMessage, type Conversation } from './conversation.js'
import type { EmitEvent } from './session-event.js'

/**
 * Adds the messages in a mailbox to a conversation. Returns whether there were any. A message is acknowledged after it is
 * in the transcript. If the process is killed in between, the mailbox returns it again, and its id in the resumed
 * conversation shows that it was received.
 */
export async function receiveMail(
  inbox: TeamInbox,
  target: { readonly conversation: Conversation; readonly emit: EmitEvent },
): Promise<boolean> {
  const messages = inbox.receive()
  if (messages.length === 0) return false
  const newMessages = messages.filter((message) => !hasTeamMessage(target.conversation.messages, message))
  for (const message of newMessages) addMessage(target, createTeamMessage(message))
  await inbox.acknowledge(messages)
  return newMessages.length > 0
}
