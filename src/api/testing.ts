export { type CallToolOptions, callTool } from '../testing/call-tool.js'
export {
  type FakeHttp,
  type FakeOutcome,
  type FakeResponse,
  type FakeSearch,
  type FakeShell,
  fakeAsk,
  fakeClock,
  fakeHttp,
  fakeSearch,
  fakeShell,
  fakeState,
} from '../testing/fakes.js'
export { type FakeFiles, fakeFiles } from '../testing/files/fake-files.js'
