import '@fontsource-variable/inter';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './shared/tokens.css';
import './shared/material.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id root.');
// What the system draws behind this window, if anything.
const material = new URLSearchParams(location.search).get('material');
if (material) document.documentElement.dataset.material = material;
createRoot(root).render(<App />);
