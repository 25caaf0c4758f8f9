//! Order and reachability over the edges of a definition.

use super::NodeIx;

/// The edges as adjacency both ways, and the order in which every source precedes its targets.
pub(super) struct Graph {
    successors: Vec<Vec<NodeIx>>,
    predecessors: Vec<Vec<NodeIx>>,
    /// The place of each node in that order; meaningless when there is a cycle.
    place: Vec<u32>,
}

impl Graph {
    /// Builds the graph; a cycle is answered as the nodes along it, the first repeated at the end.
    pub(super) fn build(nodes: usize, edges: &[(NodeIx, NodeIx)]) -> Result<Self, Vec<NodeIx>> {
        let mut graph =
            Self { successors: vec![Vec::new(); nodes], predecessors: vec![Vec::new(); nodes], place: vec![0; nodes] };
        for (source, target) in edges {
            graph.successors[source.at()].push(*target);
            graph.predecessors[target.at()].push(*source);
        }
        let mut open: Vec<usize> = graph.predecessors.iter().map(Vec::len).collect();
        let mut order: Vec<NodeIx> = (0..).map(NodeIx).take(nodes).filter(|ix| open[ix.at()] == 0).collect();
        let mut at = 0;
        while let Some(ix) = order.get(at).copied() {
            graph.place[ix.at()] = at as u32;
            for target in &graph.successors[ix.at()] {
                open[target.at()] -= 1;
                if open[target.at()] == 0 {
                    order.push(*target);
                }
            }
            at += 1;
        }
        if order.len() == nodes { Ok(graph) } else { Err(graph.cycle(&open)) }
    }

    /// Whether a path of edges leads from `from` to `to`. Only nodes between the two are visited.
    pub(super) fn reaches(&self, from: NodeIx, to: NodeIx) -> bool {
        let floor = self.place[from.at()];
        let mut seen = std::collections::BTreeSet::new();
        let mut stack = vec![to];
        while let Some(ix) = stack.pop() {
            for source in &self.predecessors[ix.at()] {
                if *source == from {
                    return true;
                }
                if self.place[source.at()] > floor && seen.insert(*source) {
                    stack.push(*source);
                }
            }
        }
        false
    }

    /// A cycle among the nodes that no order could place: each of them has such a predecessor,
    /// so walking backwards must come round.
    fn cycle(&self, open: &[usize]) -> Vec<NodeIx> {
        let Some(start) = (0..).map(NodeIx).take(open.len()).find(|ix| open[ix.at()] > 0) else {
            return Vec::new();
        };
        let mut walked = vec![start];
        let mut step_of = vec![None; open.len()];
        step_of[start.at()] = Some(0);
        loop {
            let last = walked[walked.len() - 1];
            let Some(previous) = self.predecessors[last.at()].iter().copied().find(|ix| open[ix.at()] > 0) else {
                return walked;
            };
            if let Some(step) = step_of[previous.at()] {
                let mut cycle = walked.split_off(step);
                cycle.push(previous);
                cycle.reverse();
                return cycle;
            }
            step_of[previous.at()] = Some(walked.len());
            walked.push(previous);
        }
    }
}
