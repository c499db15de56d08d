import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { sql } from '@codemirror/lang-sql';
import { bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { styleNonce } from '../../shared/theme.ts';
import styles from './sql-editor.module.css';

interface SqlEditorProps {
  label: string;
  value: string;
  isInvalid: boolean;
  onChange(value: string): void;
}

/** An editor for SQL. Tab and Escape leave it to the page; Ctrl or Cmd and Enter go to the form around it. */
export function SqlEditor({ label, value, isInvalid, onChange }: SqlEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(onChange);
  latest.current = onChange;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once, and keeps its own text
  useEffect(() => {
    if (!place.current) return;
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({ doc: value, extensions: extensionsFor(label, (text) => latest.current(text)) }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label]);
  useEffect(() => {
    const editor = view.current;
    const now = editor?.state.doc.toString();
    if (editor && now !== value) editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  return <div ref={place} className={styles.editor} data-invalid={isInvalid} />;
}

function extensionsFor(label: string, onText: (text: string) => void) {
  return [
    EditorView.cspNonce.of(styleNonce()),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
    EditorView.lineWrapping,
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onText(state.doc.toString());
    }),
    // The form runs the statement; by default the key would begin a new line.
    keymap.of([{ key: 'Mod-Enter', run: () => true }, ...historyKeymap, ...defaultKeymap]),
    history(),
    bracketMatching(),
    sql(),
    syntaxHighlighting(classHighlighter),
  ];
}
