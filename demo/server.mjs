import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'

/** A small office MCP server for `haft demo`, with enough tools to make deferred loading useful. */
const AREAS = {
  calendar: ['list_events', 'create_event', 'move_event', 'cancel_event', 'find_free_time'],
  chat: ['list_channels', 'send_message', 'read_channel', 'add_reaction', 'set_status'],
  documents: ['search_documents', 'read_document', 'share_document', 'rename_document', 'export_document'],
  tickets: ['list_tickets', 'open_ticket', 'close_ticket', 'assign_ticket', 'comment_on_ticket'],
  travel: ['find_trains', 'book_train', 'find_hotels', 'book_hotel', 'cancel_booking'],
}

serveStdio(() => {
  const server = new McpServer({ name: 'office', version: '1.0.0' })
  const inputSchema = z.object({
    subject: z.string().describe('The subject, for example a channel or a person'),
    text: z.string().optional().describe('The text'),
  })
  for (const [area, names] of Object.entries(AREAS)) {
    for (const name of names) {
      const words = name.replaceAll('_', ' ')
      const description = `${words[0]?.toUpperCase()}${words.slice(1)} in the ${area} of the office.`
      server.registerTool(name, { description, inputSchema }, async ({ subject, text = '' }) => ({
        content: [{ type: 'text', text: `Done: ${words}, ${subject}. ${text}`.trim() }],
      }))
    }
  }
  return server
})
