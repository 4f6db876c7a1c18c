import { useEffect, useState } from 'preact/hooks'
import type { ShownBlock } from '../src/inspector/data/conversation.js'
import type { SessionRows } from '../src/inspector/data/rows.js'
import { type PlacedMessage, readMessages } from './api.js'
import { formatTime } from './format.js'
import { Markdown } from './markdown.js'

export interface ConversationProps {
  readonly session: string
  readonly rows: SessionRows
  readonly version: number
  readonly onSelect: (position: number) => void
  readonly selected: number | undefined
}

/** Shows the messages of one agent, page by page. */
export function Conversation({ session, rows, version, onSelect, selected }: ConversationProps) {
  const [agent, setAgent] = useState(0)
  const [messages, setMessages] = useState<readonly PlacedMessage[]>([])
  const [next, setNext] = useState<number | undefined>(0)
  const read = async (from: number, before: readonly PlacedMessage[]) => {
    const page = await readMessages(session, agent, from)
    setMessages([...before, ...page.messages])
    setNext(page.next)
  }
  useEffect(() => void read(0, []), [session, agent])
  const count = rows.messages.length
  // New messages are added if the end is shown.
  useEffect(() => {
    if (messages.length > 0 && next === undefined) void read((messages.at(-1)?.position ?? -1) + 1, messages)
  }, [count, version])
  return (
    <section class="conversation" aria-label="Conversation">
      {rows.agents.length > 1 && (
        <label>
          Agent{' '}
          <select value={agent} onChange={(event) => setAgent(Number(event.currentTarget.value))}>
            {rows.agents.map(({ id }, index) => (
              <option key={id} value={index}>
                {id}
              </option>
            ))}
          </select>
        </label>
      )}
      <ol class="messages">
        {messages.map((message) => (
          <Message key={message.position} {...{ message, rows, onSelect, selected, agent }} />
        ))}
      </ol>
      {next !== undefined && (
        <button type="button" onClick={() => void read(next, messages)}>
          More messages
        </button>
      )}
    </section>
  )
}

interface MessageProps extends Pick<ConversationProps, 'rows' | 'onSelect' | 'selected'> {
  readonly message: PlacedMessage
  readonly agent: number
}

const NAMES: Readonly<Record<string, string>> = {
  user: 'User',
  assistant: 'Model',
  attachment: 'Added',
  system: 'Haft',
}

function Message({ message: { from, blocks, at }, rows, onSelect, selected, agent }: MessageProps) {
  if (blocks.length === 0) return null
  return (
    <li class={`message ${from}`}>
      <p class="muted">
        {NAMES[from] ?? from} · {formatTime(at)}
      </p>
      {blocks.map((block, index) => (
        <Block key={index} {...{ block, rows, onSelect, selected, agent, at }} />
      ))}
    </li>
  )
}

interface BlockProps extends Omit<MessageProps, 'message'> {
  readonly block: ShownBlock
  readonly at: number
}

function Block({ block: { kind, text, toolUseId }, rows, onSelect, selected, agent }: BlockProps) {
  if (kind === 'markdown') return <Markdown text={text} />
  if (kind === 'text') return <p class="pre">{text}</p>
  if (kind === 'call') {
    const position = rows.calls.findLastIndex((call) => call.id === toolUseId && call.agent === agent)
    const summary = rows.calls[position]?.summary
    return (
      <button
        type="button"
        class="call-link"
        disabled={position === -1}
        aria-pressed={position === selected}
        onClick={() => onSelect(position)}
      >
        {text} {summary !== undefined && <span class="muted">{summary}</span>}
      </button>
    )
  }
  return (
    <details>
      <summary class="muted">{kind === 'reasoning' ? 'Reasoning' : text.split('\n')[0]?.slice(0, 80)}</summary>
      <p class="pre">{text}</p>
    </details>
  )
}
