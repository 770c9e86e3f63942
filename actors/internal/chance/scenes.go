package chance

// Scenes are moves of many operations that end in a deadlock if nothing stands
// in their way.

// ring lets two to four clients take a lock each and then ask for the next
// one's.
func (m *maker) ring() { m.circle(0) }

// crowdedRing is a ring in whose queues others wait before it closes.
func (m *maker) crowdedRing() { m.circle(2 + m.rng.IntN(8)) }

func (m *maker) circle(crowd int) {
	size := min(2+m.rng.IntN(3), len(m.clients), len(m.locks))
	if size < 2 {
		m.acquire()
		return
	}
	m.clear()
	clients, locks := m.some(m.clients, size), m.some(m.locks, size)
	for _, i := range m.rng.Perm(size) {
		m.stand()
		m.ask(clients[i], locks[i], m.percent(m.p.shared/2))
	}
	for range crowd {
		m.stand()
		client, _ := m.find(idles)
		m.ask(client, pick(m, locks), m.percent(m.p.shared))
	}
	for _, i := range m.rng.Perm(size) {
		m.stand()
		m.ask(clients[i], locks[(i+1)%size], m.percent(m.p.shared/2))
	}
}

// readersRing lets one client hold a lock that several readers of another lock
// ask for, and then ask for the one they read.
func (m *maker) readersRing() {
	size := min(2+m.rng.IntN(4), len(m.clients))
	if size < 3 || len(m.locks) < 2 {
		m.acquire()
		return
	}
	m.clear()
	clients, locks := m.some(m.clients, size), m.some(m.locks, 2)
	writer, readers := clients[0], clients[1:]
	m.ask(writer, locks[0], false)
	for _, reader := range readers {
		m.stand()
		m.ask(reader, locks[1], true)
	}
	for _, reader := range readers {
		m.stand()
		m.ask(reader, locks[0], m.percent(m.p.shared))
	}
	m.stand()
	m.ask(writer, locks[1], false)
}

// clear makes room for a scene, as a rule: without it most would be busy.
func (m *maker) clear() {
	if m.percent(knowing) {
		m.jump()
	}
}

// stand lets little time pass, so that the leases of a scene are still there at
// its end.
func (m *maker) stand() {
	if m.percent(15) {
		m.now += m.p.unit()
	}
}

// some gives n different ones of a list, in random order.
func (m *maker) some(list []string, n int) []string {
	var chosen []string
	for _, i := range m.rng.Perm(len(list))[:n] {
		chosen = append(chosen, list[i])
	}
	return chosen
}
