import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtInTools, createToolRuntime } from 'haft'
import * as agent from 'haft/agent'
import { createScriptedModel, type Model, resultsOf } from 'haft/models'
import { openTranscript, restoreRuntime, resumeSession, trackRuntime } from 'haft/transcripts'

/** Opens an agent with the features of `haft -p`: instructions, skills, sub-agents, a managed context window and a resumable session. */
async function openCodingAgent({ cwd, home, model, resume }: AgentOptions) {
  const folders = { cwd, home, projectRoot: cwd, isTrusted: true }
  const resumedSession = resume === undefined ? undefined : await resumeSession(resume, folders)
  const transcript = resumedSession?.transcript ?? openTranscript(folders)
  const conversation = new agent.Conversation(resumedSession?.messages, transcript.log)
  const notices = new agent.PendingNotices()
  // One budget for the conversation and its sub-agents.
  const spending = new agent.Spending()
  const [instructions, skills, kinds] = await Promise.all([
    agent.loadInstructions(folders),
    agent.loadSkills(folders),
    agent.loadAgentKinds(folders),
  ])
  const environmentFacts = {
    cwd,
    platform: process.platform,
    date: '2026-11-16',
    isGitRepository: false,
    isHeadless: true,
  }
  const system = agent.createSystemPrompt({ ...environmentFacts, model: model.id })
  const agents = agent.createAgents({
    kinds: () => kinds,
    main: () => ({ model, system, conversationId: transcript.sessionId, spending }),
    openModel: async () => model,
    system: ({ cwd, model }, prompt) => agent.createSystemPrompt({ ...environmentFacts, cwd, model: model.id }, prompt),
    announce: (runtime) => agent.announceContext(runtime, { instructions, skills: () => skills }),
    query: { context: agent.createContextKeeper() },
    transcripts: transcript,
  })
  const runtime = createToolRuntime({
    ...{ tools: builtInTools, cwd },
    onEvent: transcript.onToolEvent,
    machine: { homeDir: home },
    conversation: {
      sessionId: transcript.sessionId,
      model: model.id,
      skills: () => skills,
      agentDefinitions: kinds,
      agentPorts: (runtime) => ({ agents: agents(runtime) }),
      userRequest: () => agent.userRequestOf(conversation),
      onTaskEnded: notices.taskEnded,
    },
    storage: { ...(transcript.resultsFolder !== undefined && { resultsDirectory: transcript.resultsFolder }) },
  })
  if (resumedSession !== undefined) restoreRuntime(runtime, resumedSession)
  trackRuntime(transcript, runtime)
  const session = new agent.Session({
    ...{ runtime, model, system, conversation, spending, notices },
    conversationId: transcript.sessionId,
    source: resumedSession === undefined ? 'startup' : 'resume',
    announce: agent.announceContext(runtime, { instructions, skills: () => skills }),
    context: agent.createContextKeeper({ state: () => runtime.state.port.getAppState() }),
  })
  const close = async () => {
    await session.dispose()
    transcript.close()
  }
  return { id: transcript.sessionId, session, close }
}

interface AgentOptions {
  readonly cwd: string
  readonly home: string
  readonly model: Model
  /** The id of a session to resume. */
  readonly resume?: string
}

const folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-coding-agent-')))
const [cwd, home] = [join(folder, 'project'), join(folder, 'home')]
await Promise.all([mkdir(cwd), mkdir(home)])
await writeFile(join(cwd, 'AGENTS.md'), 'Answer in one word.')
await writeFile(join(cwd, 'port.txt'), '8080')

const firstAgent = await openCodingAgent({
  ...{ cwd, home },
  model: createScriptedModel({
    turns: [
      { calls: [{ name: 'Agent', input: { description: 'Find the port', prompt: 'Which port?' } }] },
      (request) => `The agent says: ${resultsOf(request)[0]?.text.split('\n')[0]}`,
    ],
    conversations: [
      {
        opening: 'Which port?',
        turns: [
          { calls: [{ name: 'Read', input: { file_path: join(cwd, 'port.txt') } }] },
          (request) => (/\d{4}/.exec(resultsOf(request)[0]?.text ?? '') ?? ['unknown'])[0],
        ],
      },
    ],
  }),
})
const { text } = await firstAgent.session.ask('Which port does it use?')
await firstAgent.close()

const model = createScriptedModel([
  ({ messages }) => (JSON.stringify(messages).includes('Answer in one word.') ? 'Port.' : 'I was told nothing.'),
])
const resumedAgent = await openCodingAgent({ cwd, home, model, resume: firstAgent.id })
const secondAnswer = await resumedAgent.session.ask('What did I ask for?')
await resumedAgent.close()
await rm(folder, { recursive: true })

console.log(`${text}\n${secondAnswer.text}`)
assert.deepEqual([text, secondAnswer.text], ['The agent says: 8080', 'Port.'])
