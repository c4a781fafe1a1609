extension PageFile {
    /// The colours have a contrast of at least 4.5 to 1 against what they stand on.
    static let styleText = """
        :root {
          color-scheme: light dark;
          --page: #ffffff; --text: #1b1f24; --soft: #4d5661; --line: #c9d1d9; --field: #f3f5f8;
          --accent: #1d5fa8; --on-accent: #ffffff; --good: #17663a; --bad: #a3271e;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #14181d; --text: #e8ebef; --soft: #aab4c0; --line: #3a434e; --field: #1f262e;
            --accent: #8bbcf2; --on-accent: #10151b; --good: #7fd6a2; --bad: #ff9d94;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--page); color: var(--text);
          font: 16px/1.5 system-ui, sans-serif; }
        header, main { max-width: 72rem; margin: 0 auto; padding: 0 1rem; }
        header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center;
          padding-top: .75rem; }
        header form { margin-inline-start: auto; }
        nav a { display: inline-block; padding: .25rem 0; margin-inline-end: .75rem; }
        nav a[aria-current] { color: var(--text); font-weight: 700; text-decoration: none; }
        .brand { margin: 0; font-weight: 700; }
        h1 { font-size: 1.6rem; margin: .75rem 0; }
        h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
        a { color: var(--accent); }
        dl { display: grid; grid-template-columns: minmax(9rem, max-content) 1fr;
          gap: .25rem 1rem; margin: 0; }
        dt { color: var(--soft); }
        dd { margin: 0; overflow-wrap: anywhere; }
        dl.places { grid-template-columns: 1fr; margin-top: 1rem; }
        dl.places dd { margin-bottom: .75rem; }
        .scroll { overflow-x: auto; position: relative; }
        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: start; vertical-align: top; padding: .4rem .75rem .4rem 0;
          border-bottom: 1px solid var(--line); font-weight: normal; }
        thead th { color: var(--soft); white-space: nowrap; }
        tbody th { font-weight: 600; }
        .actions { display: flex; flex-wrap: wrap; gap: .4rem .75rem; align-items: center; }
        form { margin: 0; display: inline-block; }
        section > form, main > form { margin: .75rem 0; }
        button, input, select, textarea { font: inherit; color: inherit; background: var(--field);
          border: 1px solid var(--soft); border-radius: .3rem; padding: .25rem .6rem;
          min-height: 2rem; max-width: 100%; }
        button { cursor: pointer; }
        main > form button { background: var(--accent); color: var(--on-accent);
          border-color: var(--accent); }
        button.danger { color: var(--bad); border-color: var(--bad); text-align: start; }
        summary { cursor: pointer; color: var(--accent); min-height: 1.5rem; }
        details[open] summary { margin-bottom: .3rem; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
        #list { display: block; }
        .fields { display: grid; gap: .75rem; width: min(36rem, calc(100vw - 2rem)); }
        .fields label { display: grid; gap: .15rem; }
        .fields label.check { display: flex; gap: .5rem; align-items: baseline; }
        .fields .check input { min-height: auto; }
        .filter { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; }
        .message { border-bottom: 1px solid var(--line); padding: .75rem 0;
          overflow-wrap: anywhere; content-visibility: auto; contain-intrinsic-size: auto 8rem; }
        .question { border: 2px solid var(--accent); border-radius: .3rem;
          padding: .75rem; margin: .75rem 0; }
        .message .actions { margin-top: .5rem; font-size: .9rem; }
        .message > .actions button:not(.danger) { border-color: var(--line); background: none;
          min-height: 1.75rem; padding: .1rem .5rem; }
        .actions form { display: inline-flex; flex-wrap: wrap; gap: .4rem; align-items: center; }
        .question > .actions button:not(.danger) { border-color: var(--accent); }
        .message h2 { font-size: 1.05rem; margin: 0; }
        .facts { color: var(--soft); font-size: .9rem; margin: 0; }
        .text { white-space: pre-wrap; margin-top: .25rem; }
        .message img { display: block; max-width: 100%; max-height: 20rem; margin-top: .5rem; }
        .ways code { white-space: pre-wrap; }
        .ways { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none;
          margin: .5rem 0 0; padding: 0; }
        .good { color: var(--good); }
        .bad { color: var(--bad); }
        .notice { border: 1px solid currentcolor; border-radius: .3rem; padding: .5rem .75rem; }
        .skip { position: absolute; left: -100vw; }
        .skip:focus { left: 1rem; top: .5rem; background: var(--page); padding: .25rem .5rem; }
        .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden;
          clip-path: inset(50%); white-space: nowrap; }
        [hidden] { display: none !important; }
        .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr));
          gap: 1rem; margin-top: 1rem; }
        .plots:not([hidden]) { display: grid; }
        figure { margin: 0; }
        figcaption { display: flex; justify-content: space-between; color: var(--soft); }
        figure svg { width: 100%; height: 5rem; background: var(--field); border-radius: .3rem; }
        figure polyline { fill: none; stroke: var(--accent); stroke-width: 1.5;
          vector-effect: non-scaling-stroke; }
        svg.code { width: min(18rem, 100%); height: auto; }
        @media (max-width: 40rem) {
          dl { grid-template-columns: 1fr; gap: 0; }
          dd { margin-bottom: .5rem; }
          table, tbody, tbody tr, tbody th, tbody td { display: block; }
          thead { display: none; }
          tbody tr { border: 1px solid var(--line); border-radius: .3rem; padding: .5rem .75rem;
            margin-bottom: .75rem; overflow-wrap: anywhere; }
          tbody th, tbody td { border: 0; padding: .1rem 0; }
          tbody td.actions { display: flex; padding-top: .4rem; }
          td[data-title]::before { content: attr(data-title) ": "; color: var(--soft); }
        }

        """
}
