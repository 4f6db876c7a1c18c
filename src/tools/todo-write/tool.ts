import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block, text } from '../../contract/view-builders.js'
import type { View } from '../../contract/views.js'
import { limitItems } from '../../shared/limit-items.js'
import { prompt } from './prompt.js'

const createTodoListSchema = () =>
  z.array(
    z.strictObject({
      content: z.string().min(1).describe('The task, in the imperative'),
      status: z.enum(['pending', 'in_progress', 'completed']).describe('The status of the item'),
      activeForm: z.string().min(1).describe('The ongoing action, shown while the item is in progress'),
    }),
  )

/** Nobody reads a longer list, and drawing it would block the event loop. */
const MAX_ITEMS = 1_000

export const TodoWriteTool = buildTool({
  name: 'TodoWrite',
  searchHint: 'update todo list',
  needs: ['state'],
  shouldDefer: true,
  modes: { coordinating: true },
  description: 'Updates the todo list',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      todos: z
        .preprocess(limitItems(MAX_ITEMS, 'Combine several tasks into one item.'), createTodoListSchema())
        .describe('The whole new list'),
    }),
  ),
  outputSchema: lazySchema(() => z.object({ oldTodos: createTodoListSchema(), newTodos: createTodoListSchema() })),

  resources: () => ({ writes: [{ thing: 'todo:list' }] }),
  validateInput({ todos }) {
    const activeCount = todos.filter(({ status }) => status === 'in_progress').length
    if (activeCount <= 1) return { result: true }
    return {
      result: false,
      errorCode: 1,
      message: `${activeCount} items are in_progress; keep at most one, and set the others to pending.`,
    }
  },
  // No approval is needed, because the list belongs to the conversation and nothing else changes.
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),

  async call({ todos }, { state, agentId }) {
    const key = toTodoKey(agentId)
    const oldTodos = (state.getAppState()[key] ?? []) as Todo[]
    const isDone = todos.every(({ status }) => status === 'completed')
    // A completed list is cleared for the next task.
    state.setAppState((stateBefore) => ({ ...stateBefore, [key]: isDone ? [] : todos }))
    return { data: { oldTodos, newTodos: todos } }
  },

  mapToolResultToToolResultBlockParam({ newTodos }, toolUseId) {
    const openCount = newTodos.filter(({ status }) => status !== 'completed').length
    return textResult(
      toolUseId,
      openCount === 0
        ? 'All items are completed; the list was cleared.'
        : `The todo list was updated: ${openCount} of ${newTodos.length} items are open. Continue with the one in progress.`,
    )
  },

  getActivityDescription: () => 'Updating the todo list',
  userFacingName: () => 'Todo list',
  renderToolUseMessage({ todos }) {
    const items = (Array.isArray(todos) ? todos : []) as readonly Partial<Todo>[]
    const doneCount = items.filter((item) => item?.status === 'completed').length
    return items.length === 0 ? '' : text(`${doneCount} of ${items.length} done`, 'muted')
  },
  // The terminal shows the whole list while it works, so later updates show only what has changed.
  renderToolResultMessage: (output, _, { verbose }) =>
    block(...(verbose ? output.newTodos : findChangedTodos(output)).map(renderTodo)),
  isResultTruncated: (output) => findChangedTodos(output).length < output.newTodos.length,
  extractSearchText: ({ newTodos }) => newTodos.map(({ content }) => content).join('\n'),
})

interface Todo {
  readonly content: string
  readonly status: 'pending' | 'in_progress' | 'completed'
  readonly activeForm: string
}

function findChangedTodos({ oldTodos, newTodos }: { oldTodos: readonly Todo[]; newTodos: readonly Todo[] }): Todo[] {
  const isSame = (a: Todo, b: Todo) => a.content === b.content && a.status === b.status
  return newTodos.filter((todo) => !oldTodos.some((oldTodo) => isSame(oldTodo, todo)))
}

function renderTodo({ content, status }: Todo): View {
  if (status === 'completed') return [text('[x] ', 'success'), text(content, { tone: 'muted', strikethrough: true })]
  return status === 'in_progress' ? [text('[>] ', 'accent'), text(content, { bold: true })] : `[ ] ${content}`
}

/** Returns the key of a todo list. Each agent has its own list, so its ID is part of the key. */
function toTodoKey(agentId: string | undefined): string {
  return agentId === undefined ? 'todo:list' : `todo:list:${agentId}`
}
