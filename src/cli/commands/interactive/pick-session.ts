import { findToolByName } from '../../../contract/tool/identity.js'
import type { ListedSession } from '../../../session/transcript/read/list-sessions.js'
import { readHistory } from '../../../session/transcript/read/read-history.js'
import { reasonOf } from '../../../shared/reason-of.js'
import { pickFromList } from '../../../terminal/app/list-picker.js'
import type { PromptScreen } from '../../../terminal/app/prompt-screen.js'
import { createTranscriptBlocks } from '../../../terminal/blocks/transcript-blocks.js'
import { builtInTools } from '../../../tools/index.js'
import type { StyledLine } from '../../../views/styled-line.js'
import { formatTime } from './format-time.js'

/** The number of messages at the end of a session that the preview shows. */
const PREVIEW_MESSAGES = 12

/** Lets the user choose a session. The preview shows its last messages. */
export function pickSession(prompt: PromptScreen, sessions: readonly ListedSession[]): Promise<string | undefined> {
  const previews = new Map<string, readonly StyledLine[]>()
  const items = sessions.map(({ id, title = '', lastAt, messages, isOpen }) => ({
    value: id,
    label: title === '' ? id : title.replace(/\s+/g, ' ').slice(0, 80),
    detail: [formatTime(lastAt), messages === undefined ? '' : `${messages} messages`, isOpen ? 'open elsewhere' : '']
      .filter((part) => part !== '')
      .join(' · '),
  }))
  return pickFromList<string>(prompt, {
    title: 'Continue a session',
    enterHint: 'continues it',
    items: () => items,
    preview(id, width, maxRows) {
      const session = sessions.find((candidate) => candidate.id === id)
      const rows = previews.get(id) ?? (session === undefined ? [] : previewOf(session, width))
      previews.set(id, rows)
      return rows.slice(-maxRows)
    },
  })
}

function previewOf({ path }: ListedSession, width: number): readonly StyledLine[] {
  try {
    const history = readHistory(path)
    const blocks = createTranscriptBlocks(history.messages.slice(-PREVIEW_MESSAGES), {
      findTool: (name) => findToolByName(builtInTools, name),
      findShown: (result) => history.findShown(result),
      cwd: process.cwd(),
    })
    return blocks.flatMap((block) => block.render(width, false))
  } catch (error) {
    return [[{ text: reasonOf(error), style: { tone: 'error' } }]]
  }
}
