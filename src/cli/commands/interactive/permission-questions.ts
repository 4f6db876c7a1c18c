import type { PermissionAnswer, PermissionQuestion } from '../../../calls/call-environment.js'
import type { PermissionUpdate } from '../../../contract/permission/result.js'
import type { View } from '../../../contract/views.js'
import type {
  PermissionApproval,
  PermissionDialogAnswer,
  PermissionRequest,
} from '../../../terminal/dialogs/permission-dialog.js'
import { type CallDescription, describeCall } from '../../../views/call-view.js'
import { prepareView } from '../../../views/render-view.js'
import type { CommandHost } from '../../io/command.js'
import { isSavable, type SaveContext } from '../../tool-session/ask-in-terminal.js'
import { listOfferedUpdates } from '../../tool-session/offered-updates.js'
import { placeDiff } from './place-diff.js'

/** A permission question for the dialog, and the translation of its answers. */
export interface PreparedQuestion {
  readonly request: PermissionRequest
  toAnswer(answer: PermissionDialogAnswer): PermissionAnswer
}

/** Prepares a permission question: the call as its tool renders it, the reasons, and the rules that could be saved. */
export async function prepareQuestion(
  question: PermissionQuestion,
  host: CommandHost,
  settings: SaveContext,
): Promise<PreparedQuestion> {
  const { input } = question
  const updates = new Map<string, readonly PermissionUpdate[]>([['once', []]])
  const approvals: PermissionApproval[] = [
    { id: 'once', label: question.tool.submitsPlan === true ? 'Yes' : 'Yes, once' },
  ]
  for (const { label, update } of listOfferedUpdates(question, host, settings)) {
    const id = String(updates.size)
    updates.set(id, [update])
    approvals.push({ id, label })
  }
  const editableField = findEditableField(question)
  const preview = await placeDiff(createPreview(question), host.cwd)
  await prepareView(preview)
  return {
    request: {
      title: createTitle(question),
      preview,
      cwd: host.cwd,
      reasons: [...describeTool(question), ...createReasons(question, settings)],
      approvals,
      ...(editableField !== undefined && { editableText: editableField.text }),
    },
    toAnswer(answer) {
      if (answer.behavior === 'deny') return answer
      const chosenUpdates = updates.get(answer.approval) ?? []
      const { editedText } = answer
      return {
        behavior: 'allow',
        ...(chosenUpdates.length > 0 && { updates: chosenUpdates }),
        ...(editedText !== undefined &&
          editableField !== undefined && { updatedInput: { ...input, [editableField.name]: editedText } }),
      }
    },
  }
}

/** Describes the call if the preview shows only its arguments, as for most tools of MCP servers. */
function describeTool({ tool, description }: PermissionQuestion): readonly View[] {
  if (tool.command !== undefined || tool.renderToolUseRejectedMessage !== undefined) return []
  return description === undefined ? [] : [createMutedText(`${tool.name}: ${description}`)]
}

/** Creates the title: the call in a few words, or the question about a plan. */
function createTitle(question: PermissionQuestion): View {
  const { tool, agent } = question
  const agentLabel = agent === undefined ? '' : `Agent ${agent.name ?? agent.id}: `
  if (tool.submitsPlan === true) return { type: 'text', text: `${agentLabel}Approve this plan?`, bold: true }
  const { title } = describeQuestion(question)
  const questionText: View = { type: 'text', text: `${agentLabel}Allow this call?  `, bold: true }
  const name: View = tool.command === undefined ? title : { type: 'text', text: tool.name, bold: true }
  return { type: 'group', layout: 'inline', children: [questionText, name] }
}

function describeQuestion({ tool, input, command, toolUseId }: PermissionQuestion): CallDescription {
  const facts = { toolName: tool.name, tool, toolUseId, input, command, state: 'waiting-for-permission' as const }
  return describeCall(facts, { verbose: true })
}

/** Shows the whole call, because a summary could hide the dangerous part. */
function createPreview(question: PermissionQuestion): View {
  const { tool, input, preview } = question
  if (preview !== undefined) return [describeCommand(input, tool), { type: 'code', text: preview, language: 'diff' }]
  if (tool.submitsPlan === true && typeof input.plan === 'string') return { type: 'markdown', text: input.plan }
  const { body } = describeQuestion(question)
  return body !== undefined && tool.command === undefined ? body : describeCommand(input, tool)
}

function describeCommand(input: PermissionQuestion['input'], tool: PermissionQuestion['tool']): View {
  const command = tool.command?.(input)?.text
  const fields = Object.entries(input).filter(([, value]) => value !== command)
  const views: View[] = []
  if (command !== undefined) views.push({ type: 'code', text: command, language: 'bash' })
  if (fields.length > 0)
    views.push({
      type: 'fields',
      fields: fields.map(([label, value]) => ({
        label,
        value: { type: 'code', text: typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '') },
      })),
    })
  return { type: 'group', layout: 'block', children: views }
}

function createReasons(question: PermissionQuestion, settings: SaveContext): readonly View[] {
  const { reason, message, suggestions, isDestructive } = question
  const reasons: View[] = []
  if (isDestructive) reasons.push({ type: 'text', text: 'This call may destroy data.', tone: 'error' })
  reasons.push(createMutedText(message.includes(reason.text) ? message : `${message} (${reason.text})`))
  const wouldBeSavable = suggestions.some((update) => isSavable(update, { ...settings, isTrusted: true }))
  if (!settings.isTrusted && wouldBeSavable)
    reasons.push(createMutedText('Rules can only be saved in a trusted project.'))
  return reasons
}

/** Finds the input field that contains the command, which the user may edit. */
function findEditableField({ tool, input }: PermissionQuestion): { name: string; text: string } | undefined {
  const text = tool.command?.(input)?.text
  if (text === undefined) return undefined
  const name = Object.entries(input).find(([, value]) => value === text)?.[0]
  return name === undefined ? undefined : { name, text }
}

function createMutedText(text: string): View {
  return { type: 'text', text, tone: 'muted' }
}
