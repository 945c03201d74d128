-- What a user does in Neovim with `lamps.yaml`, and what Neovim then shows, as JSON in the file of the variable RESULT.
--
-- The steps are a coroutine: between them, Neovim handles keys and messages. Each waits for a state, and for a minute at most.

local result = {}

-- The last diagnostics of each file, as the server sent them.
local published = {}
local method = "textDocument/publishDiagnostics"
local handler = vim.lsp.handlers[method]
vim.lsp.handlers[method] = function(err, params, context)
  handler(err, params, context)
  published[vim.uri_to_fname(params.uri)] = params
end

local messages = {}
vim.lsp.handlers["window/showMessage"] = function(_, params)
  table.insert(messages, params.message)
end

local function wait(what, condition)
  local this = coroutine.running()
  local timer = assert(vim.uv.new_timer())
  local polls = 0
  timer:start(0, 20, vim.schedule_wrap(function()
    if timer:is_closing() then
      return
    end
    polls = polls + 1
    local value = condition()
    if value or polls > 3000 then
      timer:close()
      local ok, failure = coroutine.resume(this, value)
      if not ok then
        io.stderr:write(failure .. "\n")
        vim.cmd("cquit 1")
      end
    end
  end))
  return coroutine.yield() or error("Neovim waits for " .. what .. " without success")
end

local function keys(typed)
  vim.api.nvim_feedkeys(vim.keycode(typed), "nt", false)
end

-- The text of the window, when the server has checked it, and its diagnostics: line, column in UTF-16, code, message.
local function state(what)
  local buffer = vim.api.nvim_get_current_buf()
  local name = vim.api.nvim_buf_get_name(buffer)
  wait("diagnostics when " .. what, function()
    local params = published[name]
    return params and params.version == vim.lsp.util.buf_versions[buffer]
  end)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
  local diagnostics = vim.tbl_map(function(one)
    local unit = vim.str_utfindex(lines[one.lnum + 1], "utf-16", one.col)
    return { one.lnum, unit, one.code, one.message }
  end, vim.diagnostic.get(buffer))
  return { text = table.concat(lines, "\n") .. "\n", diagnostics = diagnostics }
end

local function steps()
  wait("the server", function()
    return #vim.lsp.get_clients({ bufnr = 0, name = "crd-channels" }) > 0
  end)
  local file = vim.api.nvim_buf_get_name(0)
  result.opened = state("opened")

  vim.api.nvim_win_set_cursor(0, { 5, 4 })
  vim.lsp.buf.hover()
  local window = wait("the hover", function()
    return vim.iter(vim.api.nvim_list_wins()):find(function(window)
      return vim.api.nvim_win_get_config(window).relative ~= ""
    end)
  end)
  result.hover = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, true), "\n")
  vim.api.nvim_win_close(window, true)

  vim.api.nvim_win_set_cursor(0, { 6, 2 })
  vim.lsp.buf.code_action({ apply = true })
  wait("the fix", function()
    return vim.api.nvim_get_current_line() == "  colour: red"
  end)
  result.fixed = state("fixed")

  -- Keys that a user types in the middle of a line, after characters of two units.
  vim.api.nvim_win_set_cursor(0, { 16, 0 })
  keys('f:f"f"ié<Esc>')
  wait("the typed text", function()
    return vim.api.nvim_get_current_line():find("é") and vim.fn.mode() == "n"
  end)
  result.typed = state("typed")

  -- A key is proposed while it is typed: CTRL-X CTRL-O asks the server.
  vim.api.nvim_win_set_cursor(0, { 6, 0 })
  keys("Sco<C-x><C-o>")
  local items = wait("the completion", function()
    local items = vim.fn.complete_info({ "items" }).items
    return #items > 0 and items
  end)
  result.completion = vim.tbl_map(function(item)
    return item.word
  end, items)
  keys("<Esc>")
  wait("the end of the completion", function()
    return vim.fn.mode() == "n"
  end)

  vim.cmd("CrdChannels")
  result.crds = wait("the place of the CRDs", function()
    return messages[#messages]
  end)

  vim.cmd("bdelete!")
  wait("the end of diagnostics", function()
    return published[file].version == nil
  end)
  result.closed = #published[file].diagnostics

  vim.cmd.edit("part/crd-channels.yaml")
  result.settings = state("settings").diagnostics

  vim.fn.writefile({ vim.json.encode(result) }, vim.env.RESULT)
  vim.cmd("qall!")
end

coroutine.wrap(steps)()
