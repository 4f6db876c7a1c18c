import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { prompt } from './prompt.js'

const todoList = () =>
  z.array(
    z.strictObject({
      content: z.string().min(1).describe('What to do, as an order'),
      status: z.enum(['pending', 'in_progress', 'completed']).describe('How far the item is'),
      activeForm: z.string().min(1).describe('What is being done, shown while the item is in progress'),
    }),
  )

export const TodoWriteTool = buildTool({
  name: 'TodoWrite',
  searchHint: 'update todo list',
  needs: ['state'],
  shouldDefer: true,
  modes: { coordinating: true },
  description: 'Updates the todo list',
  prompt,

  inputSchema: lazySchema(() => z.strictObject({ todos: todoList().describe('The whole list as it is from now on') })),
  outputSchema: lazySchema(() => z.object({ oldTodos: todoList(), newTodos: todoList() })),

  resources: () => ({ writes: [{ thing: 'todo:list' }] }),
  validateInput({ todos }) {
    const active = todos.filter(({ status }) => status === 'in_progress').length
    if (active <= 1) return { result: true }
    return {
      result: false,
      errorCode: 1,
      message: `${active} items are in_progress; have at most one, and set the others to pending.`,
    }
  },
  // The list is the conversation's own: nothing outside changes, so nobody needs to be asked.
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),
  getActivityDescription: () => 'Updating the todo list',
  renderToolUseMessage: () => 'Update todos',

  async call({ todos }, { state, agentId }) {
    const key = todoKey(agentId)
    const oldTodos = (state.getAppState()[key] ?? []) as Todo[]
    const isDone = todos.every(({ status }) => status === 'completed')
    // A finished list is put away: the next piece of work starts with a clean one.
    state.setAppState((before) => ({ ...before, [key]: isDone ? [] : todos }))
    return { data: { oldTodos, newTodos: todos } }
  },

  mapToolResultToToolResultBlockParam({ newTodos }, toolUseId) {
    const open = newTodos.filter(({ status }) => status !== 'completed').length
    return textResult(
      toolUseId,
      open === 0
        ? 'The todo list is done and was cleared.'
        : `The todo list was updated: ${open} of ${newTodos.length} items are open. Go on with the one in progress.`,
    )
  },
})

interface Todo {
  readonly content: string
  readonly status: 'pending' | 'in_progress' | 'completed'
  readonly activeForm: string
}

/** Each agent has a list of its own. */
function todoKey(agentId: string | undefined): string {
  return agentId === undefined ? 'todo:list' : `todo:list:${agentId}`
}
