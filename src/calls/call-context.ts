import type { CommandAnalysis } from '../contract/command.js'
import { ToolCallError } from '../contract/errors.js'
import type { JudgedPaths, JudgedTarget } from '../contract/judged-paths.js'
import type { Message, ToolUseBlock } from '../contract/messages.js'
import type { CallsPort } from '../contract/ports/calls.js'
import type { FileChange, FilesPort } from '../contract/ports/files.js'
import type { PortName, Ports } from '../contract/ports/index.js'
import type { SearchPort } from '../contract/ports/search.js'
import type { ShellPort, ShellRequest } from '../contract/ports/shell.js'
import type { ContextModifier } from '../contract/tool/context.js'
import type { Tool, ToolContext, ToolCoreContext } from '../contract/tool/tool.js'
import { overridePort } from '../shared/override-port.js'
import type { CallApproval, CallEnvironment } from './call-environment.js'
import type { Cancellation } from './cancellation.js'

interface ContextSource extends CallApproval {
  readonly command: CommandAnalysis | undefined
  readonly judgedPaths: JudgedPaths | undefined
  readonly judgedUrl: string | undefined
  readonly toolUse: ToolUseBlock
  readonly environment: Pick<CallEnvironment, 'contextOptions' | 'ports' | 'callPorts'>
  readonly cancellation: Cancellation
  readonly location: ChangeableContext
  readonly messages: readonly Message[]
  readonly parentToolUseId: string | undefined
  openCallsPort(): CallsPort | undefined
}

/** Creates the context of one call: the core members, and the ports that the tool listed in `needs`. */
export function createCallContext(tool: Tool, call: ContextSource): ToolContext {
  const context: CallContext & { -readonly [P in PortName]?: unknown } = new CallContext(tool.name, call)
  const { environment } = call
  for (const port of tool.needs ?? []) {
    context[port] =
      port === 'calls'
        ? call.openCallsPort()
        : (environment.callPorts?.[port]?.(call) ?? bindToJudgedPaths(port, environment.ports(), call))
    if (context[port] === undefined) {
      const message = `${tool.name} needs the "${port}" port, which this host does not provide. Work without this tool.`
      throw new ToolCallError('unavailable', message)
    }
  }
  return context
}

/**
 * `signal` is a getter because creating an AbortSignal costs more than all other steps of a call, and most tools never read it.
 * It is an own property, so that a tool can pass on a copy of its context.
 */
class CallContext implements ToolCoreContext {
  static readonly #lazySignal = {
    enumerable: true,
    get(this: CallContext) {
      return this.abortController.signal
    },
  }
  declare readonly signal: AbortSignal
  readonly toolUseId: string
  readonly cwd: string
  readonly abortController: AbortController
  readonly messages: readonly Message[]
  readonly options: ToolCoreContext['options']
  readonly queryTracking: ToolCoreContext['queryTracking']
  declare readonly agentId?: string
  declare readonly parentToolUseId?: string
  readonly #toolName: string
  readonly #call: ContextSource

  constructor(toolName: string, call: ContextSource) {
    Object.defineProperty(this, 'signal', CallContext.#lazySignal)
    const { queryTracking, agentId } = call.environment.contextOptions
    const { cwd, options } = call.location
    this.toolUseId = call.toolUse.id
    this.cwd = cwd
    this.abortController = call.cancellation.abortController
    this.messages = call.messages
    this.options = options
    this.queryTracking = queryTracking
    if (agentId !== undefined) this.agentId = agentId
    if (call.parentToolUseId !== undefined) this.parentToolUseId = call.parentToolUseId
    this.#toolName = toolName
    this.#call = call
  }

  /**
   * The tool's name if an allow rule covers the call, which is decided after the context was created. Copies of the context
   * lack it, so that they cannot pass the approval on.
   */
  get toolAllowedByRule(): string | undefined {
    return this.#call.isAllowedByRule ? this.#toolName : undefined
  }

  get judgedUrl(): string | undefined {
    return this.#call.judgedUrl
  }

  /** A getter, because the analysis changes when a hook or the user changes the input. */
  get command(): CommandAnalysis | undefined {
    return this.#call.command
  }
}

/** The part of the context that a call may change for later calls. */
export type ChangeableContext = Pick<ToolCoreContext, 'cwd' | 'options'>

/** The working directory and options that the next call starts with, after the changes by all ended calls. */
export class ContextChain {
  #current: ChangeableContext

  constructor(initialContext: ChangeableContext) {
    this.#current = initialContext
  }

  get current(): ChangeableContext {
    return this.#current
  }

  /** Returns whether anything changed. A modifier that fails changes nothing, because its call already has its result. */
  apply(modify: ContextModifier<Tool>, fixedContext: Omit<ToolCoreContext, keyof ChangeableContext>): boolean {
    try {
      const { cwd, options } = modify({ ...fixedContext, ...this.#current })
      if (typeof cwd !== 'string' || typeof options !== 'object' || options === null) return false
      if (cwd === this.#current.cwd && options === this.#current.options) return false
      this.#current = { cwd, options }
      return true
    } catch {
      return false
    }
  }
}

/** The call whose decision applies. It is made after the ports were handed out, and repeated if the input changes. */
interface JudgedCall {
  readonly judgedPaths: JudgedPaths | undefined
}

/**
 * Returns a port as the tool of a call gets it. Files, searches and commands use what permission was decided for, so that a
 * link that changes after the decision is not followed to another file. Paths that the call did not declare are not bound.
 */
function bindToJudgedPaths<P extends PortName>(
  name: P,
  ports: Partial<Ports>,
  call: JudgedCall,
): Ports[PortName] | undefined {
  const { files, search, shell } = ports
  if (name === 'files' && files !== undefined) return bindFiles(files, call)
  if (name === 'search' && search !== undefined) return bindSearch(search, call)
  if (name === 'shell' && shell !== undefined) return bindShell(shell, call)
  return ports[name]
}

function bindFiles(files: FilesPort, call: JudgedCall): FilesPort {
  const judge = (path: string) => findTarget(call, path)
  const toRealPath = (path: string) => judge(path)?.realPath
  return overridePort(files, {
    realPath: async (path) => toRealPath(path) ?? files.realPath(path),
    read: (path, options) => files.read(path, { ...options, ...judge(path) }),
    stream: (path, options) => files.stream(path, { ...options, ...judge(path) }),
    readLines: (path, options) => files.readLines(path, { ...options, ...judge(path) }),
    write: (path, content, options) => files.write(path, content, { ...options, ...judge(path) }),
    writeAll: (changes) => files.writeAll(changes.map((change) => bindChange(change, judge))),
    remove: (path, options) => files.remove(path, { ...options, ...judge(path) }),
    move: (from, to, options) =>
      files.move(from, to, { ...options, ...toEntry('entryPath', judge(from)), ...toEntry('toEntryPath', judge(to)) }),
    chmod: (path, mode, options) => files.chmod(path, mode, { ...options, ...judge(path) }),
    glob: (folder, pattern, options) => files.glob(folder, pattern, { ...options, ...judge(folder) }),
    ...(files.aroundEdit !== undefined && { aroundEdit: bindEditChecks(files.aroundEdit.bind(files), toRealPath) }),
  })
}

function bindChange(change: FileChange, judge: (path: string) => JudgedTarget | undefined): FileChange {
  const boundChange = { ...change, ...judge(change.path) }
  if (boundChange.kind !== 'move') return boundChange
  const toRealPath = judge(boundChange.to)?.realPath
  return toRealPath === undefined ? boundChange : { ...boundChange, toRealPath }
}

type AroundEdit = NonNullable<FilesPort['aroundEdit']>

/**
 * Passes the real paths to formatters and language servers, because they open files by name. The report contains the paths as
 * called.
 */
function bindEditChecks(aroundEdit: AroundEdit, toRealPath: (path: string) => string | undefined): AroundEdit {
  return async (paths, edit, options) => {
    const calledPaths = new Map(paths.map((path) => [toRealPath(path) ?? path, path]))
    const { result, report } = await aroundEdit([...calledPaths.keys()], edit, options)
    return {
      result,
      report: { ...report, reformatted: report.reformatted.map((path) => calledPaths.get(path) ?? path) },
    }
  }
}

function toEntry<K extends string>(key: K, target: JudgedTarget | undefined): { readonly [P in K]?: string } {
  return target === undefined ? {} : ({ [key]: target.entryPath } as { readonly [P in K]: string })
}

function bindSearch(search: SearchPort, call: JudgedCall): SearchPort {
  return overridePort(search, {
    search(query, options) {
      const target = findTarget(call, query.path)
      return search.search(target === undefined ? query : { ...query, realPath: target.realPath }, options)
    },
  })
}

function bindShell(shell: ShellPort, call: JudgedCall): ShellPort {
  const bind = (request: ShellRequest): ShellRequest =>
    call.judgedPaths === undefined ? request : { ...request, judgedPaths: call.judgedPaths }
  return overridePort(shell, {
    run: (request, options) => shell.run(bind(request), options),
    start: (request, options) => shell.start(bind(request), options),
  })
}

function findTarget({ judgedPaths }: JudgedCall, path: string): JudgedTarget | undefined {
  return judgedPaths?.get(path) ?? (path.includes('\\') ? judgedPaths?.get(path.replaceAll('\\', '/')) : undefined)
}
