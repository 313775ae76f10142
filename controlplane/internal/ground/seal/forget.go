package seal

// Keep drops from memory the data keys of all tenants but these: what is gone from the database must not live on here.
func (k *Keyring) Keep(tenants []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept := map[string]bool{}
	for _, id := range tenants {
		kept[id] = true
	}
	for id := range k.tenants {
		if !kept[id] {
			delete(k.tenants, id)
		}
	}
	for id := range k.byID {
		if !kept[id.tenant] {
			delete(k.byID, id)
		}
	}
}
