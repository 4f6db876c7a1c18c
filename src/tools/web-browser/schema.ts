import * as z from 'zod'

const ACTIONS = [
  ...(['navigate', 'back', 'forward', 'reload', 'snapshot', 'click', 'hover', 'type', 'fill', 'press'] as const),
  ...(['select', 'upload', 'wait', 'dialog', 'evaluate', 'screenshot', 'console', 'network'] as const),
  ...(['tabs', 'switch_tab', 'close_tab', 'downloads', 'save_download'] as const),
] as const

const MAX_URL_CHARS = 4_000
const MAX_TEXT_CHARS = 100_000
const MAX_WAIT_SECONDS = 30

export const inputSchema = () =>
  z.strictObject({
    action: z.enum(ACTIONS).describe('What to do'),
    url: z.string().min(1).max(MAX_URL_CHARS).optional().describe('navigate: the http or https URL'),
    new_tab: z.boolean().optional().describe('navigate: open the page in a new tab'),
    ref: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe('The element: its ref in the last snapshot, such as e12, or a CSS selector'),
    text: z
      .string()
      .max(MAX_TEXT_CHARS)
      .optional()
      .describe('type: the new text of the field; wait: the text that must appear; dialog: the answer to a prompt'),
    submit: z.boolean().optional().describe('type, fill: press Enter afterwards'),
    fields: z
      .array(
        z.strictObject({
          ref: z.string().min(1).max(1_000).describe('The field'),
          value: z.union([z.string().max(MAX_TEXT_CHARS), z.boolean()]).describe('Its new value'),
        }),
      )
      .min(1)
      .max(100)
      .optional()
      .describe('fill: several fields at once; true or false for check boxes, the label for lists'),
    key: z.string().min(1).max(50).optional().describe('press: a key such as Enter, Escape, ArrowDown or Control+a'),
    values: z.array(z.string().max(1_000)).min(1).max(100).optional().describe('select: the options to choose'),
    paths: z.array(z.string().min(1)).min(1).max(20).optional().describe('upload: the files'),
    gone_text: z.string().min(1).max(1_000).optional().describe('wait: the text that must disappear'),
    seconds: z
      .number()
      .min(0)
      .max(MAX_WAIT_SECONDS)
      .optional()
      .describe(
        'wait: the maximum number of seconds to wait for the text, or the exact number without a text; 10 if left out',
      ),
    accept: z.boolean().optional().describe('dialog: whether to accept it; true if left out'),
    double: z.boolean().optional().describe('click: a double click'),
    script: z
      .string()
      .min(1)
      .max(MAX_TEXT_CHARS)
      .optional()
      .describe('evaluate: a JavaScript expression, function or statements with return, run in the page'),
    full_page: z.boolean().optional().describe('screenshot: the whole page, not only the visible part'),
    whole: z.boolean().optional().describe('snapshot: the whole page, not only what changed'),
    filter: z.string().max(1_000).optional().describe('console, network: only entries that contain this text'),
    tab: z.string().min(1).max(20).optional().describe('switch_tab, close_tab: the tab, such as t2'),
    download: z.string().min(1).max(20).optional().describe('save_download: the download, such as d1'),
    path: z.string().min(1).optional().describe('save_download: the new file'),
  })

export type WebBrowserInput = z.output<ReturnType<typeof inputSchema>>
export type WebBrowserActionName = WebBrowserInput['action']

export const outputSchema = () => {
  const tab = z.object({ id: z.string(), url: z.string(), title: z.string(), isCurrent: z.boolean() })
  return z.object({
    tab: tab.optional(),
    /** Set if the page belongs to a site that neither the permission of the action nor the user allows. */
    refusal: z.object({ url: z.string(), message: z.string() }).optional(),
    /** Whether the action was performed. False if the page had navigated to another site before. */
    isPerformed: z.boolean(),
    snapshot: z
      .object({
        kind: z.enum(['whole', 'changes', 'unchanged', 'part', 'text']),
        text: z.string(),
        totalChars: z.number(),
        isCut: z.boolean(),
        file: z.string().optional(),
        elementCount: z.number().optional(),
      })
      .optional(),
    value: z.object({ text: z.string(), totalChars: z.number() }).optional(),
    log: z.object({ lines: z.array(z.string()), droppedCount: z.number(), omittedCount: z.number() }).optional(),
    image: z.object({ base64: z.string(), mediaType: z.string(), isCut: z.boolean() }).optional(),
    dialog: z.object({ kind: z.string(), message: z.string() }).optional(),
    tabs: z.array(tab).optional(),
    downloads: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        state: z.enum(['running', 'complete', 'failed']),
        bytes: z.number().optional(),
        reason: z.string().optional(),
      }),
    ),
    saved: z.object({ path: z.string(), bytes: z.number() }).optional(),
    notes: z.array(z.string()),
  })
}

export type WebBrowserOutput = z.output<ReturnType<typeof outputSchema>>
