import type { JudgedPaths, JudgedTarget } from '../contract/judged-paths.js'
import type { FileChange, FilesPort } from '../contract/ports/files.js'
import type { PortName, Ports } from '../contract/ports/index.js'
import type { SearchPort } from '../contract/ports/search.js'
import type { ShellPort, ShellRequest } from '../contract/ports/shell.js'
import { overridePort } from '../shared/override-port.js'

/** The call whose decision applies. It is made after the ports were handed out, and repeated if the input changes. */
interface JudgedCall {
  readonly judgedPaths: JudgedPaths | undefined
}

/**
 * Returns a port as the tool of a call gets it. Files, searches and commands use what permission was decided for, so that a
 * link that changes after the decision is not followed to another file. Paths that the call did not declare are not bound.
 */
export function bindToJudgedPaths<P extends PortName>(
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

/** Formatters and language servers open the files by name, so they get the real paths. The report names them as called. */
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
    start: (request) => shell.start(bind(request)),
  })
}

function findTarget({ judgedPaths }: JudgedCall, path: string): JudgedTarget | undefined {
  return judgedPaths?.get(path) ?? (path.includes('\\') ? judgedPaths?.get(path.replaceAll('\\', '/')) : undefined)
}
